import { FrameDocument } from './gql/frame.js';
import { useQuery } from './query.js';

/** Endpoints of this instance for API clients. */
export interface Instance {
  /** Public origin. The portal itself may be open at another origin. */
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  revocationEndpoint: string;
  /** REST base URL without a version. */
  apiUrl: string;
  /** Gateway URL without parameters. */
  gatewayUrl: string;
}

/** Reads the endpoints from the cached frame query. */
export function useInstance(): Instance {
  const { data } = useQuery({ query: FrameDocument, requestPolicy: 'cache-first' });
  const { publicUrl = window.location.origin, restUrl = '', gatewayUrl = '' } = data?.instance ?? {};
  return {
    issuer: publicUrl,
    authorizationEndpoint: `${publicUrl}/oauth2/authorize`,
    tokenEndpoint: `${restUrl}/v10/oauth2/token`,
    revocationEndpoint: `${restUrl}/v10/oauth2/token/revoke`,
    apiUrl: restUrl,
    gatewayUrl,
  };
}
