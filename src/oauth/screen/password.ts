import { DomainError, refusalIn } from '../../domain/errors.js';
import type { AuthorizationQuery } from '../../domain/oauth/index.js';
import { html, name } from '../../http/pages/html.js';
import { endingPage, type Page } from '../../http/pages/page.js';
import { formValue, readForm } from '../form.js';
import { isAsked, ownAddress, PATHS } from './addresses.js';
import type { Answer } from './answer.js';
import { type Attempt, fields } from './fields.js';
import { EMAIL, formPage, NEW_PASSWORD } from './pages.js';
import { requireOwnOrigin, type Visit } from './visit.js';

/** Asks for an e-mail address, or with a token for a new password. */
export async function showPassword({ request, query, sessions }: Visit): Promise<Answer> {
  const token = tokenIn(request.query);
  if (token === null) return forgottenPage(query);
  return (await sessions.mayResetPassword(token)) ? newPasswordPage(query, token) : deadLinkPage(query);
}

export async function sendPassword(visit: Visit): Promise<Answer> {
  requireOwnOrigin(visit);
  const form = await readForm(visit.request.raw, visit.held);
  const token = formValue(form, 'token');
  return token === undefined
    ? requestReset(visit, formValue(form, 'email') ?? '')
    : reset(visit, token, formValue(form, ANOTHER.name) ?? '');
}

async function requestReset({ sessions, visitor, query }: Visit, email: string): Promise<Answer> {
  try {
    await sessions.requestPasswordReset(email, visitor);
    return sentPage(query, email);
  } catch (error) {
    const refusal = refusalIn(error);
    if (!refusal) throw error;
    return forgottenPage(query, { typed: { email }, refusal });
  }
}

async function reset({ sessions, visitor, query }: Visit, token: string, password: string): Promise<Answer> {
  try {
    await sessions.resetPassword(token, password, visitor);
    return changedPage(query);
  } catch (error) {
    const refusal = refusalIn(error);
    if (!refusal) throw error;
    return refusal.code === 'INVALID_RESET_TOKEN' ? deadLinkPage(query) : newPasswordPage(query, token, { refusal });
  }
}

function tokenIn(query: unknown): string | null {
  if (typeof query !== 'object' || query === null || !('token' in query)) return null;
  return typeof query.token === 'string' ? query.token : '';
}

function forgottenPage(query: AuthorizationQuery, attempt: Attempt = {}): Page {
  return formPage(attempt, {
    title: 'Forgot your password?',
    body: html`<h1>Forgot your password?</h1>
<p class="soft">Enter the email address of your account. We will email you a password reset link.</p>
<form method="post" action="${ownAddress(PATHS.password, query)}">
${fields([EMAIL], attempt)}
<div class="actions"><button type="submit">Send reset link</button></div>
</form>
<p class="soft small">Remember your password? <a href="${ownAddress(PATHS.signIn, query)}">Sign in</a>.</p>`,
  });
}

/** Must not reveal whether the account exists. */
function sentPage(query: AuthorizationQuery, email: string): Page {
  return endingPage({
    status: 200,
    title: 'Check your email',
    mark: 'done',
    text: html`<p>If there is an account for ${name(email)}, we sent a password reset link to that address. You can use it once, within an hour.</p>
<p class="soft small">No email? Check your spam folder, or try another address.</p>`,
    next: [
      { address: ownAddress(PATHS.signIn, query), text: 'Sign in' },
      { address: ownAddress(PATHS.password, query), text: 'Try again' },
    ],
  });
}

const ANOTHER = { ...NEW_PASSWORD, name: 'newPassword' };

function newPasswordPage(query: AuthorizationQuery, token: string, attempt: Attempt = {}): Page {
  return formPage(attempt, {
    title: 'Choose a new password',
    body: html`<h1>Choose a new password</h1>
<p class="soft">Changing your password signs you out on all devices.</p>
<form method="post" action="${ownAddress(PATHS.password, query)}">
<input type="hidden" name="token" value="${token}">
${fields([ANOTHER], attempt)}
<div class="actions"><button type="submit">Change password</button></div>
</form>`,
  });
}

function changedPage(query: AuthorizationQuery): Page {
  return endingPage({
    status: 200,
    title: 'Password changed',
    mark: 'done',
    text: html`<p>Sign in with your new password${isAsked(query) && ' to continue'}.</p>`,
    next: [{ address: ownAddress(PATHS.signIn, query), text: 'Sign in' }],
  });
}

function deadLinkPage(query: AuthorizationQuery): Page {
  const { message } = new DomainError('INVALID_RESET_TOKEN');
  return endingPage({
    status: 400,
    title: 'This link does not work',
    mark: 'fault',
    text: html`<p>${message}</p>`,
    next: [
      { address: ownAddress(PATHS.password, query), text: 'Request a new link' },
      { address: ownAddress(PATHS.signIn, query), text: 'Sign in' },
    ],
  });
}
