/** Answers in the shapes that the services publish, for tests: the documents are named in each adapter. */

export const rekognitionSafe = {
  ContentTypes: [],
  ModerationLabels: [
    { Confidence: 93.1, Name: 'Alcohol', ParentName: '', TaxonomyLevel: 1 },
    { Confidence: 91.4, Name: 'Swimwear or Underwear', ParentName: '', TaxonomyLevel: 1 },
  ],
  ModerationModelVersion: '7.0',
};
export const rekognitionUnsafe = {
  ContentTypes: [{ Confidence: 99.5, Name: 'Illustrated' }],
  ModerationLabels: [
    { Confidence: 97.44, Name: 'Exposed Female Nipple', ParentName: 'Explicit Nudity', TaxonomyLevel: 3 },
    { Confidence: 98.25, Name: 'Explicit Nudity', ParentName: 'Explicit', TaxonomyLevel: 2 },
    { Confidence: 98.25, Name: 'Explicit', ParentName: '', TaxonomyLevel: 1 },
  ],
  ModerationModelVersion: '7.0',
};
export const rekognitionSuggestive = {
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
export const rekognitionOverload = {
  __type: 'com.amazonaws.rekognition#ProvisionedThroughputExceededException',
  Message: 'Provisioned rate exceeded.',
};
export const rekognitionRefusal = {
  __type: 'AccessDeniedException',
  Message: 'User: arn:aws:iam::123456789012:user/offers is not authorized',
};

const annotated = (adult: string, racy: string, violence = 'VERY_UNLIKELY') => ({
  responses: [
    { safeSearchAnnotation: { adult, spoof: 'VERY_UNLIKELY', medical: 'UNLIKELY', violence, racy } },
  ],
});
export const safeSearchSafe = annotated('VERY_UNLIKELY', 'LIKELY');
export const safeSearchUnsafe = annotated('LIKELY', 'VERY_LIKELY');
export const safeSearchSuggestive = annotated('POSSIBLE', 'VERY_LIKELY');
export const safeSearchUnknown = annotated('UNKNOWN', 'UNKNOWN');
export const safeSearchNotAnnotated = { responses: [{ error: { code: 3, message: 'Bad image data.' } }] };
export const safeSearchRefusal = {
  error: {
    code: 400,
    message: 'API key not valid. Please pass a valid API key.',
    status: 'INVALID_ARGUMENT',
  },
};

const request = { id: 'req_1SJJxJjUHnSVWreApx9fF', timestamp: 1693406952.6, operations: 1 };
const rated = (most: Record<string, number>) => ({
  status: 'success',
  request,
  nudity: {
    sexual_activity: 0.01,
    sexual_display: 0.01,
    erotica: 0.01,
    very_suggestive: 0.01,
    suggestive: 0.01,
    mildly_suggestive: 0.01,
    suggestive_classes: { bikini: 0.01, cleavage_categories: { very_revealing: 0.01, none: 0.99 } },
    none: 0.01,
    context: { sea_lake_pool: 0.01, outdoor_other: 0.98, indoor_other: 0.01 },
    ...most,
  },
  media: { id: 'med_1SJJEFuLqeSedThQjhNoS', uri: 'picture.jpg' },
});
export const sightengineSafe = rated({ mildly_suggestive: 0.94 });
export const sightengineUnsafe = rated({ sexual_display: 0.5, erotica: 0.44 });
export const sightengineSuggestive = rated({ very_suggestive: 0.93 });
export const sightengineFailure = {
  status: 'failure',
  request,
  error: { type: 'usage_limit', code: 32, message: 'Daily usage limit reached' },
};
