import { FrameDocument } from './gql/frame.js';
import { useQuery } from './query.js';

/** Endpoints for API clients. */
export interface Instance {
  /** Public origin, which may differ from the portal's. */
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  revocationEndpoint: string;
  /** REST, without a version. */
  apiUrl: string;
  /** Without parameters. */
  gatewayUrl: string;
}

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
