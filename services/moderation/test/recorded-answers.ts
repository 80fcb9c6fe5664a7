/** Answers in the shapes that AWS publishes, for tests: rekognition.ts names the documents. */

export const safe = {
  ContentTypes: [],
  ModerationLabels: [
    { Confidence: 93.1, Name: 'Alcohol', ParentName: '', TaxonomyLevel: 1 },
    { Confidence: 91.4, Name: 'Swimwear or Underwear', ParentName: '', TaxonomyLevel: 1 },
  ],
  ModerationModelVersion: '7.0',
};
export const unsafe = {
  ContentTypes: [{ Confidence: 99.5, Name: 'Illustrated' }],
  ModerationLabels: [
    { Confidence: 97.44, Name: 'Exposed Female Nipple', ParentName: 'Explicit Nudity', TaxonomyLevel: 3 },
    { Confidence: 98.25, Name: 'Explicit Nudity', ParentName: 'Explicit', TaxonomyLevel: 2 },
    { Confidence: 98.25, Name: 'Explicit', ParentName: '', TaxonomyLevel: 1 },
  ],
  ModerationModelVersion: '7.0',
};
export const suggestive = {
  ContentTypes: [],
  ModerationLabels: [
    { Confidence: 95, Name: 'Implied Nudity', ParentName: 'Non-Explicit Nudity', TaxonomyLevel: 3 },
    {
      Confidence: 96,
      Name: 'Non-Explicit Nudity',
      ParentName: 'Non-Explicit Nudity of Intimate parts and Kissing',
      TaxonomyLevel: 2,
    },
    {
      Confidence: 96,
      Name: 'Non-Explicit Nudity of Intimate parts and Kissing',
      ParentName: '',
      TaxonomyLevel: 1,
    },
  ],
  ModerationModelVersion: '7.0',
};
export const overload = {
  __type: 'com.amazonaws.rekognition#ProvisionedThroughputExceededException',
  Message: 'Provisioned rate exceeded.',
};
export const refusal = {
  __type: 'AccessDeniedException',
  Message: 'User: arn:aws:iam::123456789012:user/offers is not authorized',
};
