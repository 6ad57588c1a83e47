import type { AppContext } from '../context.js';
import { refusalIn } from '../domain/errors.js';
import { REQUESTS_PER_CALLER, SIGN_IN_AT_HOME, SIGN_IN_PER_ACCOUNT, SIGN_IN_PER_ADDRESS } from '../domain/limits.js';
import { refuseBeyond, takeLimit } from '../domain/rate-limits.js';
import { hashSecret } from '../infra/crypto/secrets.js';
import type { Limit } from '../infra/rate-limits.js';

/**
 * @param key a network address or a person
 * @throws RATE_LIMITED
 */
export async function takeAttempt(app: AppContext, limit: Limit, key: string): Promise<void> {
  await takeLimit(app, limit, key, tooMany);
}

/**
 * Counts a sign-in attempt for the address, then for the account, even if it does not exist. Success and outages give
 * the counts back. An address over its limit no longer counts for accounts, so it cannot lock them. An address with a
 * session of the account may still try, so attackers cannot lock out the owner.
 * @param email as stored
 * @throws RATE_LIMITED, and the errors of `attempt`
 */
export async function countSignIn<Outcome extends { ok: boolean }>(
  app: AppContext,
  email: string,
  address: string,
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const taken: Count[] = [];
  const giveBack = () => Promise.all(taken.map(({ limit, key }) => app.limits.giveBack(limit, key)));
  try {
    await takeSignIn(app, email, address, taken);
    const response = await attempt();
    if (response.ok) await giveBack();
    return response;
  } catch (error) {
    if (refusalIn(error)?.kind === 'overloaded') await giveBack();
    throw error;
  }
}

interface Count {
  limit: Limit;
  key: string;
}

/** @param taken receives the counts */
async function takeSignIn(app: AppContext, email: string, address: string, taken: Count[]): Promise<void> {
  const take = async (limit: Limit, key: string) => {
    const state = await app.limits.take(limit, key);
    if (state.allowed) taken.push({ limit, key });
    return state;
  };
  await takeAttempt(app, REQUESTS_PER_CALLER, address);
  const account = hashSecret(email);
  const byAddress = await take(SIGN_IN_PER_ADDRESS, address);
  const state = byAddress.allowed ? await take(SIGN_IN_PER_ACCOUNT, account) : byAddress;
  if (state.allowed) return;
  const mayTry =
    (await hasSessionAt(app, email, address)) && (await take(SIGN_IN_AT_HOME, `${account}:${address}`)).allowed;
  if (!mayTry) refuseBeyond(state, tooMany);
}

async function hasSessionAt(app: AppContext, email: string, ipAddress: string): Promise<boolean> {
  const expiresAt = { gt: new Date(app.clock.now()) };
  const where = { user: { email }, ipAddress, expiresAt };
  return (await app.db.reader.authSession.findFirst({ where, select: { id: true } })) !== null;
}

function tooMany(seconds: number): string {
  return `Too many attempts; try again in ${seconds} s.`;
}
