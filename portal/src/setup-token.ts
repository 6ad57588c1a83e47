const KEY = 'setup';

/** Keeps the token of the set-up link during a sign-in, so that it appears in no address that is sent to a server. */
export function keepSetupToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/** @returns an empty string if there is none */
export function setupToken(): string {
  return sessionStorage.getItem(KEY) ?? '';
}

export function forgetSetupToken(): void {
  sessionStorage.removeItem(KEY);
}
