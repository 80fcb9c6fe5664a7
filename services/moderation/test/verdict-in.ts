/** A verdict out of moderation's response, as the client of offers reads it. */
import { type VerdictReply, verdictReply } from '@offer-ads/contracts/internal/moderation-api';

export async function verdictIn(response: Response): Promise<VerdictReply> {
  if (response.status !== 200)
    throw new Error(`no verdict, but ${response.status}: ${await response.text()}`);
  const contentType = response.headers.get('content-type') ?? '';
  const isJson = contentType.includes('json');
  return verdictReply.parse(isJson ? await response.json() : { contentType, bytes: await response.bytes() });
}
