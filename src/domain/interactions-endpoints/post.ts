import type { Application } from '../../infra/database/index.js';
import { signedHeaders } from '../../infra/keys.js';
import type { OutboundAnswer, OutboundRequest } from '../../infra/outbound.js';
import type { CallContext } from '../call.js';

/** The headers that say whom a request is from. */
export type SignatureHeaders = ReturnType<typeof signedHeaders>;

export interface SignedPost {
  applicationId: bigint;
  url: string;
  body: string;
  signature: SignatureHeaders;
  /** Milliseconds for everything, as of the outbound request. */
  deadlineMs: number;
  bodyLimit?: OutboundRequest['bodyLimit'];
}

/** What posting takes. */
export type PostingContext = Pick<CallContext, 'clock' | 'outbound' | 'publicUrl'>;

/**
 * Sends an interaction to its application's endpoint, signed. Never rejects for what the endpoint does.
 * @param body JSON, as it is signed and sent
 * @param limits how long it may take, from looking the name up to the last byte of the answer, and how long that may be
 */
export async function postToEndpoint(
  call: PostingContext,
  application: Pick<Application, 'id' | 'privateKey' | 'interactionsEndpointUrl'>,
  body: string,
  limits: Pick<SignedPost, 'deadlineMs' | 'bodyLimit'>,
): Promise<OutboundAnswer> {
  const { interactionsEndpointUrl: url } = application;
  if (url === null) return NO_ENDPOINT;
  const signature = signatureOf(call, application, body);
  return postSigned(call, { applicationId: application.id, url, body, signature, ...limits });
}

const NO_ENDPOINT: OutboundAnswer = {
  outcome: 'failed',
  reason: 'url-not-allowed',
  detail: 'The application has no interactions endpoint.',
  status: null,
  reached: 'nothing',
  durationMs: 0,
};

/** A signature of this moment. */
export function signatureOf(
  call: Pick<CallContext, 'clock'>,
  key: Pick<Application, 'privateKey'>,
  body: string,
): SignatureHeaders {
  return signedHeaders(key, body, Math.floor(call.clock.now() / 1000));
}

/** Sends a body with a signature that was made before. */
export function postSigned(
  { outbound, publicUrl }: Pick<CallContext, 'outbound' | 'publicUrl'>,
  { signature, ...post }: SignedPost,
): Promise<OutboundAnswer> {
  const headers = {
    'User-Agent': `Causeway-Interactions/1.0 (+${publicUrl})`,
    'Content-Type': 'application/json',
    ...signature,
  };
  return outbound.post({ ...post, headers });
}
