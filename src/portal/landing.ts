import type { FastifyInstance } from 'fastify';
import type { AppContext } from '../context.js';
import { findInvite } from '../domain/invites/index.js';
import { REST_PATH } from '../http/rest-paths.js';

/** `/`, and `/portal`, where mails lead: a page that names the instance's addresses, and where to answer invitations. */
export function mountLanding(http: FastifyInstance, { addresses }: AppContext): void {
  for (const path of ['/', '/portal', '/portal/*']) {
    http.get(path, (_request, reply) =>
      reply
        .headers({
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        })
        .send(page(addresses.publicUrl, addresses.gatewayUrl)),
    );
  }
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

function page(origin: string, gateway: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Causeway</title>
<style>
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; color: #1c1c1e; background: #fff }
  code { background: #f1f1f4; padding: .1rem .3rem; border-radius: .25rem }
  dt { font-weight: 600; margin-top: 1rem } dd { margin: 0 }
  @media (prefers-color-scheme: dark) { body { color: #ececf0; background: #1c1c1e } code { background: #2c2c30 } a { color: #8ab4f8 } }
</style>
<h1>Causeway</h1>
<p>The bot and app platform of a chat service. This instance is running; here is where to find things.</p>
<dl>
  <dt>GraphQL</dt><dd><a href="/graphql">${origin}/graphql</a>, with GraphiQL in a browser</dd>
  <dt>REST, for bots</dt><dd><code>${origin}${REST_PATH}</code>, described by <a href="/openapi.json">/openapi.json</a></dd>
  <dt>Gateway, for bots</dt><dd><code>${gateway}</code></dd>
  <dt>Accounts</dt><dd><code>POST ${origin}/auth/sign-up/email</code> and <code>/auth/sign-in/email</code>;
    in this browser, <a href="/oauth2/sign-in">sign in</a> or <a href="/oauth2/sign-up">sign up</a></dd>
  <dt>Invitations to teams and tests</dt><dd><code>{ portalHome { teamInvitations { id team { name } } testerInvitations { application { id name } } } }</code>
    at <a href="/graphql">/graphql</a>, signed in, shows those that wait for you; <code>acceptTeamInvitation</code> and
    <code>acceptTesterInvitation</code> accept them</dd>
  <dt>Install links and OAuth2</dt><dd><code>${origin}/oauth2/authorize</code>; an application's <code>installUrl</code> is one</dd>
  <dt>Health and metrics</dt><dd><a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a>, <a href="/metrics">/metrics</a></dd>
</dl>
`;
}
