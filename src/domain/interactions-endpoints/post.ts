import { signedHeaders } from '../../infra/crypto/keys.js';
import type { Application } from '../../infra/database/index.js';
import type { OutboundAnswer, OutboundRequest } from '../../infra/network/outbound.js';
import type { CallContext } from '../call.js';

export type SignatureHeaders = ReturnType<typeof signedHeaders>;

export interface SignedPost {
  applicationId: bigint;
  url: string;
  body: string;
  signature: SignatureHeaders;
  /** Time limit of the request, in milliseconds. */
  deadlineMs: number;
  bodyLimit?: OutboundRequest['bodyLimit'];
}

export type PostingContext = Pick<CallContext, 'clock' | 'outbound' | 'publicUrl'>;

/**
 * Signs and sends an interaction. Returns the endpoint's failures.
 * @param body JSON
 * @param limits time from the DNS lookup to the response's last byte, and size of the response
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

export function signatureOf(
  call: Pick<CallContext, 'clock'>,
  key: Pick<Application, 'privateKey'>,
  body: string,
): SignatureHeaders {
  return signedHeaders(key, body, Math.floor(call.clock.now() / 1000));
}

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
