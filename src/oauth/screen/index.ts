import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../../context.js';
import type { PageSessions } from '../../http/page-sessions.js';
import { REST_PREFIXES } from '../../http/rest-paths.js';
import { PATHS } from './addresses.js';
import { type Answer, redirect, send } from './answer.js';
import { decide, show } from './authorize.js';
import { showInstalled } from './installed.js';
import { sendPassword, showPassword } from './password.js';
import { showSignIn, signIn, signOut } from './sign-in.js';
import { showSignUp, signUp } from './sign-up.js';
import { answer, type Visit } from './visit.js';

export function mountScreen(http: FastifyInstance, app: AppContext, sessions: PageSessions): void {
  const page = (handle: (visit: Visit) => Promise<Answer>) => async (request: FastifyRequest, reply: FastifyReply) =>
    send(reply, await answer(app, sessions, request, handle));

  http.get(PATHS.authorize, page(show));
  http.post(PATHS.authorize, page(decide));
  http.get(PATHS.authorized, page(showInstalled));
  http.get(PATHS.signIn, page(showSignIn));
  http.post(PATHS.signIn, page(signIn));
  http.get(PATHS.signUp, page(showSignUp));
  http.post(PATHS.signUp, page(signUp));
  http.post(PATHS.signOut, page(signOut));
  http.get(PATHS.password, page(showPassword));
  http.post(PATHS.password, page(sendPassword));
  // Client libraries build invite links from the API's base URL.
  for (const prefix of REST_PREFIXES.filter(Boolean)) {
    http.get(prefix + PATHS.authorize, (request, reply) =>
      send(reply, redirect(PATHS.authorize + new URL(request.url, app.addresses.publicUrl).search)),
    );
  }
}
