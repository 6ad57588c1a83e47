import type { Config } from '../../config.js';
import { DomainError } from '../../domain/errors.js';
import type { AuthorizationQuery } from '../../domain/oauth/index.js';
import { html } from '../../http/pages/html.js';
import type { Page } from '../../http/pages/page.js';
import { formValue, readForm } from '../form.js';
import { ownAddress, PATHS } from './addresses.js';
import type { Answer } from './answer.js';
import { type Attempt, type Field, fields } from './fields.js';
import { EMAIL, formPage, NEW_PASSWORD } from './pages.js';
import { back, findRedirectUri } from './sign-in.js';
import { requireOwnOrigin, type Visit } from './visit.js';

export async function showSignUp(visit: Visit): Promise<Answer> {
  if (visit.signedIn) return back(visit);
  const { registration } = visit.app.config;
  return signUpPage({ query: visit.query, leadsTo: await findRedirectUri(visit), registration });
}

export async function signUp(visit: Visit): Promise<Answer> {
  requireOwnOrigin(visit);
  const form = await readForm(visit.request.raw, visit.held);
  const typed = (field: string) => formValue(form, field) ?? '';
  const details = {
    name: typed('name'),
    email: typed('email'),
    password: typed('password'),
    invitation: typed('invitation'),
  };
  try {
    return back(visit, await visit.sessions.signUp(details, visit.visitor));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { name, email, invitation } = details;
    return signUpPage({
      registration: visit.app.config.registration,
      query: visit.query,
      leadsTo: await findRedirectUri(visit),
      typed: { name, email, invitation },
      refusal: error,
    });
  }
}

interface SignUpForm extends Attempt {
  query: AuthorizationQuery;
  leadsTo: string | null;
  registration: Config['registration'];
}

const FIELDS: Field[] = [
  {
    name: 'name',
    label: 'Username',
    type: 'text',
    autocomplete: 'username',
    rule: '2 to 32 characters: lowercase letters a to z, digits, dots and underscores.',
    limits: html` autocapitalize="none" pattern="[a-z0-9._]{2,32}" maxlength="32"`,
  },
  { ...EMAIL, autocomplete: 'email' },
  NEW_PASSWORD,
];

const INVITATION: Field = {
  name: 'invitation',
  label: 'Invitation',
  type: 'text',
  autocomplete: 'off',
  rule: 'You need an invitation to sign up. Ask an operator of this instance for a link.',
};

function signUpPage({ query, leadsTo, registration, ...attempt }: SignUpForm): Page {
  const asked = registration === 'open' ? FIELDS : [...FIELDS, INVITATION];
  return formPage(attempt, {
    title: 'Sign up',
    leadsTo,
    body: html`<h1>Sign up to continue</h1>
<p class="soft">You need an account to review what the application asks for.</p>
<form method="post" action="${ownAddress(PATHS.signUp, query)}">
${fields(asked, attempt)}
<div class="actions"><button type="submit">Sign up</button></div>
</form>
<p class="soft small">Already have an account? <a href="${ownAddress(PATHS.signIn, query)}">Sign in</a>.</p>`,
  });
}
