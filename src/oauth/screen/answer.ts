import type { FastifyReply } from 'fastify';
import { Html, html } from './html.js';
import { STYLE, STYLE_HASH } from './style.js';

/** What a visit is answered with. */
export type Answer = Page | Redirect;

export interface Page {
  kind: 'page';
  status: number;
  title: string;
  body: Html;
  /** The redirect URI that sending one of the page's forms may end at; undefined or null when all stay here. */
  leadsTo?: string | null | undefined;
  /** Seconds until it is worth trying again. */
  retryAfter?: number | undefined;
}

export interface Redirect {
  kind: 'redirect';
  location: string;
  /** `Set-Cookie` lines. */
  cookies?: string[];
}

/** Sends the browser on with a GET, also after a form (RFC 9700, section 4.12). */
export function redirect(location: string, cookies: string[] = []): Redirect {
  return { kind: 'redirect', location, cookies };
}

export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  if (answer.kind === 'redirect') {
    if (answer.cookies?.length) reply.header('set-cookie', answer.cookies);
    return reply.code(303).headers({ location: answer.location, 'referrer-policy': 'no-referrer' }).send();
  }
  if (answer.retryAfter !== undefined) reply.header('retry-after', answer.retryAfter);
  return reply
    .code(answer.status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(answer.leadsTo ?? null),
      'x-frame-options': 'DENY',
      // The last one that a browser knows counts. No other site learns the address by `same-origin` either, and with a plain
      // `no-referrer` a browser would say `Origin: null` of our own forms.
      'referrer-policy': 'no-referrer, same-origin',
    })
    .send(document(answer).text);
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
