import { z } from 'zod';
import type { AppContext } from '../../context.js';
import { SandboxError } from '../errors.js';
import type { AuthorizationDescription } from '../protocol.js';
import type { Named } from '../worlds/build.js';
import { signIn } from './sessions.js';

export const Authorization = z.strictObject({
  url: z.url().describe('The authorization or install link, as the application shows it.'),
  decision: z.enum(['authorize', 'cancel']).default('authorize'),
});

const SCREEN = '/oauth2/authorize';

/**
 * Opens the consent screen as a person, and submits its form as a browser does.
 * @returns the redirect to the application; its fields are null for an install without one
 * @throws SandboxError NO_CONSENT with the text of the page, if the screen refuses the request
 */
export async function authorize(
  app: AppContext,
  person: Named,
  { url, decision }: z.output<typeof Authorization>,
): Promise<AuthorizationDescription> {
  const origin = app.addresses.publicUrl;
  const { pathname, search } = new URL(url);
  if (pathname !== SCREEN) {
    throw new SandboxError(
      400,
      'INVALID_URL',
      `The link must lead to ${origin}${SCREEN}, but it leads to ${pathname}.`,
    );
  }
  const { cookie } = await signIn(app, person);
  const open = (init: RequestInit) => fetch(`${origin}${SCREEN}${search}`, { redirect: 'manual', ...init });
  const shown = await open({ headers: { cookie } });
  const redirected = shown.headers.get('location');
  if (redirected !== null) return describe(redirected);
  const page = await shown.text();
  const fields = fieldsOf(page);
  if (!shown.ok || fields === null) throw refused(page);
  fields.set('decision', decision);
  const answered = await open({ method: 'POST', body: fields, headers: { cookie, origin } });
  const location = answered.headers.get('location');
  if (location !== null) return describe(location);
  const end = await answered.text();
  if (!answered.ok || fieldsOf(end) !== null) throw refused(end);
  return { redirectTo: null, code: null, state: null, error: null };
}

function describe(redirectTo: string): AuthorizationDescription {
  const query = new URL(redirectTo, 'http://localhost').searchParams;
  return { redirectTo, code: query.get('code'), state: query.get('state'), error: query.get('error') };
}

/** The preselected values of the page's form; null without one. */
function fieldsOf(page: string): URLSearchParams | null {
  const [, form] = new RegExp(`<form[^>]*action="${SCREEN}[^>]*>([\\s\\S]*?)</form>`).exec(page) ?? [];
  if (form === undefined) return null;
  const fields = new URLSearchParams();
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const isChosen = !/type="(checkbox|radio)"/.test(input) || /\schecked/.test(input);
    if (isChosen) fields.append(attribute(input, 'name'), attribute(input, 'value'));
  }
  for (const [, select = '', options = ''] of form.matchAll(/(<select[^>]*>)([\s\S]*?)<\/select>/g)) {
    const chosen = /<option[^>]*\sselected[^>]*>/.exec(options)?.[0] ?? /<option[^>]*>/.exec(options)?.[0] ?? '';
    fields.append(attribute(select, 'name'), attribute(chosen, 'value'));
  }
  return fields;
}

function attribute(tag: string, name: string): string {
  return decoded(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (entity, name: string) => CHARACTERS[name] ?? entity);
}

function refused(page: string): SandboxError {
  const [, main = page] = /<main[^>]*>([\s\S]*?)<\/main>/.exec(page) ?? [];
  const text = decoded(main.replace(/<(style|script)[\s\S]*?<\/\1>/g, '').replace(/<[^>]+>/g, ' '));
  return new SandboxError(
    400,
    'NO_CONSENT',
    `The consent screen says: ${text.replace(/\s+/g, ' ').trim().slice(0, 500)}`,
  );
}
