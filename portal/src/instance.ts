import { useEffect, useState } from 'react';

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

let known: Promise<Instance> | undefined;

/** Where programs find the instance, as it says itself where every client asks (RFC 8414; Discord's documentation, Gateway). */
export function useInstance(): Instance {
  const [instance, setInstance] = useState(() => instanceAt(window.location.origin));
  useEffect(() => {
    known ??= ask();
    // Where the answer stays away, the page goes on with the address it was opened at.
    known.then(setInstance).catch(() => {
      known = undefined;
    });
  }, []);
  return instance;
}

async function ask(): Promise<Instance> {
  const [metadata, gateway] = await Promise.all([
    json('/.well-known/oauth-authorization-server'),
    json('/api/v10/gateway'),
  ]);
  return {
    ...instanceAt(String(metadata.issuer)),
    authorizationEndpoint: String(metadata.authorization_endpoint),
    tokenEndpoint: String(metadata.token_endpoint),
    revocationEndpoint: String(metadata.revocation_endpoint),
    gatewayUrl: String(gateway.url),
  };
}

async function json(path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
  return (await answer.json()) as Record<string, unknown>;
}

function instanceAt(issuer: string): Instance {
  return {
    issuer,
    authorizationEndpoint: `${issuer}/oauth2/authorize`,
    tokenEndpoint: `${issuer}/api/v10/oauth2/token`,
    revocationEndpoint: `${issuer}/api/v10/oauth2/token/revoke`,
    apiUrl: `${issuer}/api`,
    gatewayUrl: `${issuer.replace(/^http/, 'ws')}/gateway`,
  };
}
