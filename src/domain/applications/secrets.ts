import { hashSecret, randomToken } from '../../infra/crypto/secrets.js';

const PREFIX_LENGTH = 6;

export function createClientSecret() {
  const secret = randomToken(32);
  return {
    secret,
    columns: {
      clientSecretHash: hashSecret(secret),
      clientSecretPrefix: secret.slice(0, PREFIX_LENGTH),
      clientSecretLast4: secret.slice(-4),
    },
  };
}
