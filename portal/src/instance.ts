import { FrameDocument } from './gql/frame.js';
import { useQuery } from './query.js';

/** Where programs find the instance. */
export interface Instance {
  /** Its public origin, of which the portal may be open at another. */
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  revocationEndpoint: string;
  /** Of REST, without a version. */
  apiUrl: string;
  /** Of the gateway, without parameters. */
  gatewayUrl: string;
}

/** Where programs find the instance, which the frame of every page has asked for. */
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
