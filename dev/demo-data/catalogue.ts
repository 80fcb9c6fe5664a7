/** Categories and interests of a development system, numbered in the order of their lists. */

const categoryNames = [
  'Food & Drink',
  'Bars & Nightlife',
  'Live Music',
  'Theatre & Cinema',
  'Sports & Fitness',
  'Health & Beauty',
  'Travel & Weekends',
  'Classes & Workshops',
  'Shopping',
  'Days Out',
];

const interestNames = [
  'Cooking',
  'Wine',
  'Craft Beer',
  'Coffee',
  'Baking',
  'Vegan Food',
  'Live Music',
  'Classical Music',
  'Dancing',
  'Theatre',
  'Cinema',
  'Comedy',
  'Running',
  'Cycling',
  'Climbing',
  'Swimming',
  'Yoga',
  'Football',
  'Tennis',
  'Hiking',
  'Camping',
  'Travel',
  'Languages',
  'Reading',
  'Writing',
  'Painting',
  'Photography',
  'Board Games',
  'Gardening',
  'Dogs',
];

export const catalogue = {
  categories: categoryNames.map((categoryName, index) => ({
    categoryId: index + 1,
    categoryName,
    active: true,
  })),
  interests: interestNames.map((interestName, index) => ({
    interestId: index + 1,
    interestName,
    active: true,
  })),
};
