/**
 * AWS Rekognition, DetectModerationLabels. Labels have three levels, each with its parent's name; a label of a lower level is returned
 * together with its parents (https://docs.aws.amazon.com/rekognition/latest/dg/moderation-api.html).
 */
import { AwsV4Signer } from 'aws4fetch';
import { z } from 'zod';
import type { Scores } from '../domain/decision.ts';
import { type HostedService, UnexpectedAnswer } from './hosted-service.ts';

/** Label names change with the major version of the model, and so do the sets below. */
const labelsOfVersion = '7';
/** Must not be shown, sexual or not. */
const explicit = new Set(['Explicit', 'Graphic Violence', 'Visually Disturbing', 'Hate Symbols']);
/** Without swimwear, kisses and men's bare chests, which honest advertisements show. */
const suggestive = new Set([
  'Obstructed Intimate Parts',
  'Implied Nudity',
  'Partially Exposed Buttocks',
  'Partially Exposed Female Breast',
]);
/** Sent with status 400 for too many requests (https://docs.aws.amazon.com/rekognition/latest/dg/error-handling.html). */
const overloads = new Set(['ProvisionedThroughputExceededException', 'ThrottlingException']);

/** In percent. By default, labels below 50 are left out, and a lower threshold would have no effect. */
const minConfidence = 1;

const answer = z.object({
  ModerationLabels: z.array(z.object({ Name: z.string(), Confidence: z.number().min(0).max(100) })),
  ModerationModelVersion: z.string(),
});

export function rekognition(o: {
  readonly url?: string | undefined;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}): HostedService {
  const { region, accessKeyId, secretAccessKey } = o;
  const url = `${o.url ?? `https://rekognition.${region}.amazonaws.com`}/`;
  return {
    identity: { name: 'aws-rekognition', version: labelsOfVersion },
    request: async (jpeg) => {
      const signed = await new AwsV4Signer({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': 'RekognitionService.DetectModerationLabels',
        },
        body: JSON.stringify({ Image: { Bytes: jpeg.toString('base64') }, MinConfidence: minConfidence }),
        service: 'rekognition',
        region,
        accessKeyId,
        secretAccessKey,
      }).sign();
      return { url, headers: Object.fromEntries(signed.headers), body: signed.body as string };
    },
    scores: (body) => {
      const { ModerationLabels: labels, ModerationModelVersion: version } = answer.parse(body);
      if (version.split('.')[0] !== labelsOfVersion)
        throw new UnexpectedAnswer(
          `labels of version ${version}, and only those of ${labelsOfVersion} are known here`,
        );
      return scoresOf(labels);
    },
    problem: (body) => wordOf((body as { __type?: unknown } | null)?.__type),
    overloads,
  };
}

/** The protocol allows the name of a service before the error code. */
function wordOf(type: unknown): unknown {
  return typeof type === 'string' ? type.slice(type.lastIndexOf('#') + 1) : type;
}

function scoresOf(labels: readonly { readonly Name: string; readonly Confidence: number }[]): Scores {
  const surest = (names: ReadonlySet<string>) =>
    Math.max(0, ...labels.filter(({ Name }) => names.has(Name)).map(({ Confidence }) => Confidence / 100));
  const unsafe = surest(explicit);
  return {
    explicit: unsafe,
    suggestive: Math.max(unsafe, surest(suggestive)),
    labels: Object.fromEntries(labels.map(({ Name, Confidence }) => [Name, Confidence / 100])),
  };
}
