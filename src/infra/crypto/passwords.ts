import { Lazy } from '../caching/lazy.js';

/** Loaded on demand, because few requests need it. */
const library = new Lazy(() => import('better-auth/crypto'));

/** @param hash in the format of the accounts library */
export async function passwordMatches(password: string, hash: string): Promise<boolean> {
  const { verifyPassword } = await library.get();
  return verifyPassword({ hash, password });
}
