import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { AppContext } from '../context.js';
import { findInvite } from '../domain/invites/index.js';
import type { PageSessions } from '../http/page-sessions.js';
import { type Html, html, name } from '../http/pages/html.js';
import { type Page, sendPage } from '../http/pages/page.js';
import { REST_PATH } from '../http/rest-paths.js';

/** `/`, and `/portal`, where mails lead: a page that says where to sign in, to answer invitations, and to point bots at. */
export function mountLanding(http: FastifyInstance, app: AppContext, sessions: PageSessions): void {
  for (const path of ['/', '/portal', '/portal/*']) {
    http.get(path, async ({ headers }, reply) => sendPage(reply, landing(app, await greeting(sessions, headers))));
  }
}

/** Who is signed in, or where to do so. */
async function greeting(sessions: PageSessions, headers: IncomingHttpHeaders): Promise<Html> {
  // A header that names nobody is no reason to refuse a page that is for everybody.
  const actor = await sessions.findPerson({ cookie: headers.cookie });
  if (actor.kind !== 'person') {
    return html`<div class="actions"><a class="button" href="/oauth2/sign-in">Sign in</a>
<a class="button plain" href="/oauth2/sign-up">Sign up</a></div>`;
  }
  return html`<form class="person" method="post" action="/oauth2/sign-out">
<p>Signed in as ${name(actor.user.username)}</p>
<input type="hidden" name="csrf" value="${sessions.csrfToken({ cookie: headers.cookie })}">
<button class="link" type="submit">Sign out</button>
</form>
<div class="actions"><a class="button" href="/graphql">Open GraphiQL</a></div>`;
}

/** `/invite/CODE`: where an invite's address leads until the portal can accept it. */
export function mountInvitePage(http: FastifyInstance, { db, clock }: AppContext): void {
  http.get<{ Params: { code: string } }>('/invite/:code', async ({ params: { code } }, reply) => {
    reply.header('content-type', 'text/plain; charset=utf-8');
    if (!(await findInvite(db.reader, clock.now(), code))) {
      return reply.code(404).send('This invite does not work: it is over, was taken back, or never was.\n');
    }
    const text = `This is an invite to a server. Accept it at /graphql, signed in:\n\n  mutation { joinGuild(input: { code: "${code}" }) { guild { name } } }\n`;
    return reply.send(text);
  });
}

/** What shows the invitations of whoever is signed in, for GraphiQL. */
const INVITATIONS = `/graphql?${new URLSearchParams({
  query: `{
  portalHome {
    teamInvitations { id team { name } }
    testerInvitations { application { id name } }
  }
}`,
})}`;

function landing({ addresses }: AppContext, welcome: Html): Page {
  return {
    status: 200,
    title: 'Welcome',
    body: html`<h1>Causeway</h1>
<p>The bot and app platform of a chat service. This instance is running.</p>
${welcome}
<h2>Invited?</h2>
<p>Sign in, and <a href="${INVITATIONS}">look at what waits for you</a>;
<code>acceptTeamInvitation</code> and <code>acceptTesterInvitation</code> accept it.</p>
<h2>For developers</h2>
<dl>
<dt>GraphQL, with GraphiQL in a browser</dt><dd><a href="/graphql">${addresses.publicUrl}/graphql</a></dd>
<dt>REST, for bots</dt><dd><code>${addresses.publicUrl}${REST_PATH}</code>, described by <a href="/openapi.json">/openapi.json</a></dd>
<dt>Gateway, for bots</dt><dd><code>${addresses.gatewayUrl}</code></dd>
</dl>`,
  };
}
