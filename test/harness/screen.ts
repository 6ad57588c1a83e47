import type { Person } from './people.js';
import type { TestServer } from './server.js';

export interface PageAnswer {
  status: number;
  headers: Headers;
  /** The page, or the empty text of a redirect. */
  html: string;
  /** The target of a redirect; null for a page. */
  location: string | null;
}

export type Fields = [name: string, value: string][];

/** A form of a page: its action and its default values. */
export interface PageForm {
  action: string;
  fields: Fields;
}

/** A browser without a window. It keeps its session cookie and follows no redirects. */
export class Visitor {
  cookie: string;

  constructor(
    private readonly server: Pick<TestServer, 'origin'>,
    person?: Person,
  ) {
    this.cookie = person?.cookie ?? '';
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.#ask(path, { headers });
  }

  post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.#ask(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: this.server.origin, ...headers },
    });
  }

  /** Submits a form. A change replaces all values of a field, null leaves it out; a button may be pressed. */
  send(form: PageForm, changes: Record<string, string | string[] | null> = {}, headers: Record<string, string> = {}) {
    const kept = form.fields.filter(([name]) => !(name in changes));
    const changed = Object.entries(changes).flatMap(
      ([name, value]): Fields => (value === null ? [] : [value].flat().map((one) => [name, one])),
    );
    return this.post(form.action, [...kept, ...changed], headers);
  }

  async #ask(path: string, init: RequestInit): Promise<PageAnswer> {
    const response = await fetch(`${this.server.origin}${path}`, {
      ...init,
      redirect: 'manual',
      headers: { ...(this.cookie === '' ? {} : { cookie: this.cookie }), ...init.headers },
    });
    const [cookie] = response.headers.getSetCookie().filter((line) => line.includes('session_token='));
    if (cookie !== undefined) this.cookie = /max-age=0/i.test(cookie) ? '' : (cookie.split(';', 1)[0] ?? '');
    return {
      status: response.status,
      headers: response.headers,
      html: await response.text(),
      location: response.headers.get('location'),
    };
  }
}

export function formIn({ html }: PageAnswer, path: string): PageForm {
  for (const [, attributes = '', content = ''] of html.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)) {
    const action = attribute(attributes, 'action');
    if (action.split('?', 1)[0] === path) return { action, fields: fieldsIn(content) };
  }
  throw new Error(`the page has no form for ${path}: ${html}`);
}

function fieldsIn(content: string): Fields {
  const inputs = [...content.matchAll(/<input([^>]*)>/g)].map(([, attributes = '']) => attributes);
  const sent = inputs.filter((input) => !/type="(checkbox|radio)"/.test(input) || /\schecked/.test(input));
  const fields = sent.map((input): [string, string] => [attribute(input, 'name'), attribute(input, 'value')]);
  for (const [, attributes = '', options = ''] of content.matchAll(/<select([^>]*)>([\s\S]*?)<\/select>/g)) {
    const chosen = /<option([^>]*)\sselected/.exec(options)?.[1] ?? '';
    fields.push([attribute(attributes, 'name'), attribute(chosen, 'value')]);
  }
  return fields;
}

function attribute(attributes: string, name: string): string {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
  return value.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => CHARACTERS[entity] ?? entity);
}

const CHARACTERS: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
