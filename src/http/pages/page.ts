import type { FastifyReply } from 'fastify';
import { Html, html } from './html.js';
import { STYLE, STYLE_HASH } from './style.js';

/** A page that needs no script. */
export interface Page {
  status: number;
  title: string;
  body: Html;
  /** The redirect URI that sending one of the page's forms may end at; undefined or null when all stay here. */
  leadsTo?: string | null | undefined;
  /** Seconds until it is worth trying again. */
  retryAfter?: number | undefined;
}

/** Sends a page. No other site may frame it, or learns its address. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  if (page.retryAfter !== undefined) reply.header('retry-after', page.retryAfter);
  return reply
    .code(page.status)
    .headers({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(page.leadsTo ?? null),
      'x-frame-options': 'DENY',
      // The last one that a browser knows counts. No other site learns the address by `same-origin` either, and with a plain
      // `no-referrer` a browser would say `Origin: null` of our own forms.
      'referrer-policy': 'no-referrer, same-origin',
    })
    .send(document(page).text);
}

/** Nothing but our own stylesheet and images; no script, no frame around, no other base. */
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
 * Browsers hold every redirect that follows a form against `form-action`, those that the client makes of its own included: so
 * it is the scheme that is allowed, of which `http:` includes `https:`.
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

/** How something ended, as its page shows it beside the words. */
const MARKS = { done: '✓', nothing: '–', fault: '!' } as const;

/** Where a visitor may go from a page. */
export interface NextStep {
  address: string;
  text: string;
}

/** Where everybody may go on. */
export const START: NextStep = { address: '/', text: 'To the start page' };

/** A page at which something ends. */
export interface Ending extends Omit<Page, 'body'> {
  mark: keyof typeof MARKS;
  /** What stands above it. */
  above?: Html | null | false;
  /** What it means. */
  text: Html;
  /** Where to go from there, the likeliest first. */
  next: NextStep[];
}

/** The page, with how it ended before the words. */
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
