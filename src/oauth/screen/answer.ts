import type { FastifyReply } from 'fastify';
import { type Page, sendPage } from '../../http/pages/page.js';

export type Answer = Page | Redirect;

export interface Redirect {
  location: string;
  /** `Set-Cookie` lines. */
  cookies?: string[];
}

/** 303 makes the browser use GET (RFC 9700, section 4.12). */
export function redirect(location: string, cookies: string[] = []): Redirect {
  return { location, cookies };
}

export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  if (!('location' in answer)) return sendPage(reply, answer);
  if (answer.cookies?.length) reply.header('set-cookie', answer.cookies);
  return reply
    .code(303)
    .headers({ 'cache-control': 'no-store', location: answer.location, 'referrer-policy': 'no-referrer' })
    .send();
}
