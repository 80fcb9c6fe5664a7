/** Where generated members live: large cities of every continent, so that any example reaches some members. */

export type City = {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  /** The share of members relative to the other cities. */
  readonly weight: number;
};

export const cities: readonly City[] = [
  { name: 'London', latitude: 51.5074, longitude: -0.1278, weight: 10 },
  { name: 'Manchester', latitude: 53.4808, longitude: -2.2426, weight: 5 },
  { name: 'Birmingham', latitude: 52.4862, longitude: -1.8904, weight: 4 },
  { name: 'Glasgow', latitude: 55.8642, longitude: -4.2518, weight: 3 },
  { name: 'Dublin', latitude: 53.3498, longitude: -6.2603, weight: 2 },
  { name: 'New York', latitude: 40.7128, longitude: -74.006, weight: 9 },
  { name: 'Los Angeles', latitude: 34.0522, longitude: -118.2437, weight: 6 },
  { name: 'Chicago', latitude: 41.8781, longitude: -87.6298, weight: 4 },
  { name: 'San Francisco', latitude: 37.7749, longitude: -122.4194, weight: 3 },
  { name: 'Toronto', latitude: 43.6532, longitude: -79.3832, weight: 3 },
  { name: 'Mexico City', latitude: 19.4326, longitude: -99.1332, weight: 3 },
  { name: 'Sao Paulo', latitude: -23.5505, longitude: -46.6333, weight: 4 },
  { name: 'Buenos Aires', latitude: -34.6037, longitude: -58.3816, weight: 2 },
  { name: 'Berlin', latitude: 52.52, longitude: 13.405, weight: 6 },
  { name: 'Hamburg', latitude: 53.5511, longitude: 9.9937, weight: 3 },
  { name: 'Munich', latitude: 48.1351, longitude: 11.582, weight: 3 },
  { name: 'Paris', latitude: 48.8566, longitude: 2.3522, weight: 5 },
  { name: 'Madrid', latitude: 40.4168, longitude: -3.7038, weight: 3 },
  { name: 'Rome', latitude: 41.9028, longitude: 12.4964, weight: 3 },
  { name: 'Amsterdam', latitude: 52.3676, longitude: 4.9041, weight: 2 },
  { name: 'Warsaw', latitude: 52.2297, longitude: 21.0122, weight: 2 },
  { name: 'Stockholm', latitude: 59.3293, longitude: 18.0686, weight: 2 },
  { name: 'Istanbul', latitude: 41.0082, longitude: 28.9784, weight: 3 },
  { name: 'Johannesburg', latitude: -26.2041, longitude: 28.0473, weight: 2 },
  { name: 'Mumbai', latitude: 19.076, longitude: 72.8777, weight: 3 },
  { name: 'Singapore', latitude: 1.3521, longitude: 103.8198, weight: 2 },
  { name: 'Tokyo', latitude: 35.6762, longitude: 139.6503, weight: 5 },
  { name: 'Seoul', latitude: 37.5665, longitude: 126.978, weight: 2 },
  { name: 'Sydney', latitude: -33.8688, longitude: 151.2093, weight: 3 },
  { name: 'Auckland', latitude: -36.8509, longitude: 174.7645, weight: 1 },
];
