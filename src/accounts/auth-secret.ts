import { join } from 'node:path';
import { instanceSecret } from '../infra/secrets.js';

/** The secret that signs session cookies: made at the first start, and kept in the data folder for its owner only. */
export function readAuthSecret(dataDir: string): string {
  return instanceSecret(join(dataDir, 'auth-secret'));
}
