import { DomainError } from '../../domain/errors.js';
import { limits } from '../../domain/limits.js';
import type { AuthorizationQuery } from '../../domain/oauth/index.js';
import { formValue, readForm } from '../form.js';
import { ownAddress, PATHS } from './addresses.js';
import type { Answer, Page } from './answer.js';
import { html } from './html.js';
import { AUTOFOCUS, notice, statusOf } from './pages.js';
import { back, findRedirectUri } from './sign-in.js';
import { requireOwnOrigin, type Visit } from './visit.js';

/** Lets somebody without an account make one on their way to a request for authorization. */
export async function showSignUp(visit: Visit): Promise<Answer> {
  if (visit.signedIn) return back(visit);
  return signUpPage({ query: visit.query, leadsTo: await findRedirectUri(visit) });
}

export async function signUp(visit: Visit): Promise<Answer> {
  requireOwnOrigin(visit);
  const form = await readForm(visit.request.raw, visit.held);
  const typed = (field: string) => formValue(form, field) ?? '';
  const details = { name: typed('name'), email: typed('email'), password: typed('password') };
  try {
    return back(visit, await visit.sessions.signUp(details, visit.visitor));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { name, email } = details;
    return signUpPage({ query: visit.query, leadsTo: await findRedirectUri(visit), name, email, refusal: error });
  }
}

interface SignUpForm {
  query: AuthorizationQuery;
  leadsTo: string | null;
  /** What was typed before, and why it did not do. */
  name?: string;
  email?: string;
  refusal?: DomainError;
}

function signUpPage({ query, leadsTo, name = '', email = '', refusal }: SignUpForm): Page {
  const { min, max } = limits.password;
  return {
    kind: 'page',
    status: refusal ? statusOf(refusal) : 200,
    title: 'Sign up',
    leadsTo,
    retryAfter: refusal?.retryAfterSeconds,
    body: html`<h1>Sign up to continue</h1>
<p class="soft">With an account you see what the application asks for, and decide.</p>
${refusal && explanation(refusal)}
<form method="post" action="${ownAddress(PATHS.signUp, query)}">
<div class="field">
<label class="label" for="name">Username</label>
<input id="name" name="name" type="text" autocomplete="username" autocapitalize="none" pattern="[a-z0-9._]{2,32}" maxlength="32" required aria-describedby="name-rule" value="${name}"${AUTOFOCUS}>
<p class="soft small" id="name-rule">2 to 32 characters: a to z, 0 to 9, dot and underscore.</p>
</div>
<div class="field">
<label class="label" for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required value="${email}">
</div>
<div class="field">
<label class="label" for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${min}" maxlength="${max}" required aria-describedby="password-rule">
<p class="soft small" id="password-rule">At least ${min} characters.</p>
</div>
<div class="actions"><button type="submit">Sign up</button></div>
</form>
<p class="soft small">You have an account? <a href="${ownAddress(PATHS.signIn, query)}">Sign in</a>.</p>`,
  };
}

const LABELS: Record<string, string> = { name: 'Username', email: 'E-mail address', password: 'Password' };

function explanation({ message, fields }: DomainError) {
  if (fields.length === 0) return notice(message);
  const details = fields.map((field) => `${LABELS[field.path] ?? field.path}: ${field.message}`);
  return notice('That did not work.', details);
}
