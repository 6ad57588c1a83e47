import { fetchInTime } from '../../fetch-in-time.js';
import type { RegistrationMode } from '../../gql/types.js';
import { BROKEN, NONE, type Problem, unreachable } from '../../ui/problems.js';

/** Error response of the `/auth` endpoints. */
interface Refusal {
  message?: string;
  code?: string;
  fields?: { path: string; message: string }[];
  requestId?: string;
}

/** @returns null on success */
export async function askAccounts(path: string, body: object): Promise<Problem | null> {
  const headers = { 'content-type': 'application/json' };
  try {
    const response = await fetchInTime(`/auth/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.ok ? null : problemOf(response, await refusalIn(response));
  } catch (error) {
    return { ...NONE, code: 'NETWORK', message: unreachable(error) };
  }
}

/** Returns who may sign up; null if there is no response. */
export async function readRegistration(): Promise<RegistrationMode | null> {
  const body = JSON.stringify({ query: '{ instance { registration } }' });
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetchInTime('/graphql', { method: 'POST', headers, body });
    const { data } = (await response.json()) as { data: { instance: { registration: RegistrationMode } } };
    return data.instance.registration;
  } catch {
    return null;
  }
}

/** Returns false if there is no response. */
export async function isSignedIn(): Promise<boolean> {
  try {
    const response = await fetchInTime('/auth/get-session');
    return response.ok && (await response.json()) !== null;
  } catch {
    return false;
  }
}

async function refusalIn(response: Response): Promise<Refusal> {
  return response.json().catch(() => ({}));
}

function problemOf({ status, headers }: Response, { message, code, fields = [], requestId }: Refusal): Problem {
  const words = requestId === undefined ? (message ?? `Something went wrong (status ${status}). Try again.`) : BROKEN;
  return {
    ...NONE,
    code: code ?? String(status),
    fields: Object.fromEntries(fields.map((fault) => [fault.path, fault.message])),
    message: fields.length > 0 ? null : words,
    requestId: requestId ?? null,
    retryAfter: status === 429 ? Number(headers.get('retry-after') ?? 1) : null,
  };
}
