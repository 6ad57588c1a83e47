import type { Problem } from '../../ui/problems.js';

/** The answer of the accounts' own address, which GraphQL has no part in. */
interface Refusal {
  message?: string;
  code?: string;
  fields?: { path: string; message: string }[];
}

/** Asks something of the accounts. @returns null when it was done */
export async function askAccounts(path: string, body: object): Promise<Problem | null> {
  const headers = { 'content-type': 'application/json' };
  try {
    const response = await fetch(`/auth/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.ok ? null : problemOf(response, await refusalIn(response));
  } catch {
    return { ...NOTHING, code: 'NETWORK', message: 'The server could not be reached. Try again.' };
  }
}

/** Whether somebody is signed in; not, where no answer came. */
export async function isSignedIn(): Promise<boolean> {
  try {
    const response = await fetch('/auth/get-session');
    return response.ok && (await response.json()) !== null;
  } catch {
    return false;
  }
}

const NOTHING = { message: null, fields: {}, retryAfter: null, requestId: null };

async function refusalIn(response: Response): Promise<Refusal> {
  return response.json().catch(() => ({}));
}

function problemOf({ status, headers }: Response, { message, code, fields = [] }: Refusal): Problem {
  return {
    ...NOTHING,
    code: code ?? String(status),
    fields: Object.fromEntries(fields.map((fault) => [fault.path, fault.message])),
    message: fields.length > 0 ? null : (message ?? `The server answered ${status}.`),
    retryAfter: status === 429 ? Number(headers.get('retry-after') ?? 1) : null,
  };
}
