import type { FastifyReply } from 'fastify';
import { Html, html } from './html.js';
import { STYLE, STYLE_HASH } from './style.js';

export interface Page {
  status: number;
  title: string;
  body: Html;
  /** A redirect URI that the page's forms may lead to. */
  leadsTo?: string | null | undefined;
  /** Seconds. */
  retryAfter?: number | undefined;
}

/** Other sites can neither frame the page nor learn its address. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  if (page.retryAfter !== undefined) reply.header('retry-after', page.retryAfter);
  return reply
    .code(page.status)
    .headers({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(page.leadsTo ?? null),
      'x-frame-options': 'DENY',
      // Browsers use the last known policy. With a plain `no-referrer`, our own forms would send `Origin: null`.
      'referrer-policy': 'no-referrer, same-origin',
    })
    .send(document(page).text);
}

function contentSecurityPolicy(leadsTo: string | null): string {
  return [
    "default-src 'none'",
    `style-src '${STYLE_HASH}'`,
    "img-src 'self'",
    `form-action 'self'${leadsTo === null ? '' : ` ${formTarget(leadsTo)}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/**
 * Browsers apply `form-action` to all redirects after a form, the client's own included, so the whole scheme is
 * allowed. `http:` includes `https:`.
 */
function formTarget(redirectUri: string): string {
  return new URL(redirectUri).protocol;
}

function document({ title, body }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – Causeway</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header class="brand">Causeway</header>
<main>
${body}
</main>
</body>
</html>
`;
}

const MARKS = { done: '✓', nothing: '–', fault: '!' } as const;

export interface NextStep {
  address: string;
  text: string;
}

export const START: NextStep = { address: '/', text: 'Go to the start page' };

/** A page that ends a flow, such as a confirmation or an error. */
export interface Ending extends Omit<Page, 'body'> {
  mark: keyof typeof MARKS;
  above?: Html | null | false;
  text: Html;
  /** Most likely first. */
  next: NextStep[];
}

export function endingPage({ mark, above, text, next, ...page }: Ending): Page {
  const body = html`${above}
<div class="ending">
<div class="mark ${mark}" aria-hidden="true">${MARKS[mark]}</div>
<h1>${page.title}</h1>
</div>
${text}
<div class="actions">${next.map(({ address, text: label }, index) => html`<a class="button${index > 0 && ' plain'}" href="${address}">${label}</a>\n`)}</div>`;
  return { ...page, body };
}
