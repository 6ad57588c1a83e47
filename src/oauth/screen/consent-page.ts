import type { Scope } from '../../domain/installations/index.js';
import {
  type AuthorizationQuery,
  type AuthorizationRequest,
  type ConsentDetails,
  INSTALLING_SCOPES,
  type InstallableGuild,
  type InstallTarget,
} from '../../domain/oauth/index.js';
import { Permission } from '../../domain/permissions.js';
import { type Html, html, name } from '../../http/pages/html.js';
import type { Page } from '../../http/pages/page.js';
import type { User } from '../../infra/database/index.js';
import { snowflakeTime } from '../../infra/ids/ids.js';
import { ownAddress, PATHS } from './addresses.js';
import type { Choice, Faults } from './decision.js';
import { notice } from './notice.js';
import { type SignedIn, whoIsSignedIn } from './pages.js';
import { destination, namedPermissions, SCOPE_TEXTS } from './words.js';

export interface Consent {
  request: AuthorizationRequest;
  query: AuthorizationQuery;
  signedIn: SignedIn;
  bot: User;
  maker: ConsentDetails['maker'];
  serverCount: number;
  guilds: InstallableGuild[];
  choice: Choice;
  faults: Faults;
  status: number;
}

export function consentPage(consent: Consent): Page {
  const { request, query, signedIn, status, faults } = consent;
  const isFaulty = Object.keys(faults).length > 0;
  const isPossible = canAuthorize(consent);
  return {
    status,
    title: `${isFaulty ? 'Error: ' : ''}Authorize ${request.application.name}`,
    leadsTo: request.redirectUri,
    body: html`${heading(consent)}
${whoIsSignedIn(signedIn, query)}
${isFaulty && notice(html`Authorization failed.`, Object.values(faults))}
<form class="consent" method="post" action="${ownAddress(PATHS.authorize, query)}">
<input type="hidden" name="csrf" value="${signedIn.csrfToken}">
${request.targets.length > 1 && targetChoice(consent)}
${request.targets.includes('SERVER') && serverChoice(consent)}
${isPossible && scopeChoice(consent)}
${isPossible && asksForPermissions(request) && permissionChoice(consent)}
${leadsTo(request)}
<div class="actions">
<button class="plain" type="submit" name="decision" value="cancel" formnovalidate>Cancel</button>
${isPossible && html`<button type="submit" name="decision" value="authorize">Authorize</button>`}
</div>
</form>`,
  };
}

function heading({ request: { application, targets, scopes }, bot, maker, serverCount }: Consent): Html {
  const withBot = targets.includes('SERVER') && scopes.SERVER.includes('bot') && bot.username !== application.name;
  const made = MADE_ON.format(snowflakeTime(application.id));
  return html`<div class="application">
${icon(application)}
<div>
<h1>Authorize ${name(application.name)}?</h1>
<p class="soft small">Created by ${maker.kind === 'team' && 'the team '}${name(maker.name)} on ${made}. Installed in ${servers(serverCount)}.${
    withBot && html` Its bot is named ${name(bot.username)}.`
  }</p>
</div>
</div>
${application.description !== '' && html`<p class="soft">${application.description}</p>`}`;
}

function servers(count: number): string {
  if (count === 0) return 'no servers yet';
  return count === 1 ? '1 server' : `${count} servers`;
}

const MADE_ON = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Hidden from screen readers, because the name follows. */
function icon({ id, iconHash, name }: AuthorizationRequest['application']): Html {
  if (iconHash !== null) return html`<img class="icon" src="/cdn/app-icons/${id}/${iconHash}.png" alt="">`;
  return html`<div class="icon letter" aria-hidden="true">${[...name][0]?.toUpperCase()}</div>`;
}

const CHECKED = html` checked`;

const TARGETS: Record<InstallTarget, { title: string; detail: string }> = {
  SERVER: { title: 'To a server', detail: 'All members of the server can use it.' },
  USER: { title: 'To my account', detail: 'Only you can use it, wherever you are.' },
};

function targetChoice({ request, choice, faults }: Consent): Html {
  return html`<fieldset${describedBy('target', faults)}>
<legend>Where to add the application</legend>
<ul class="choices">
${request.targets.map(
  (target) => html`<li><label><input type="radio" id="target-${target.toLowerCase()}" name="target" value="${target}"${
    choice.target === target && CHECKED
  }><span><strong>${TARGETS[target].title}</strong><span class="soft small">${TARGETS[target].detail}</span></span></label></li>
`,
)}</ul>
${fault('target', faults)}
</fieldset>`;
}

/** An offline server can be chosen: it may be back when the form is sent. */
const BOX_TEXTS = { none: '', connected: ' (self-hosted)', away: ' (self-hosted, offline)' };

function serverChoice(consent: Consent): Html {
  const { request, guilds, faults } = consent;
  if (request.guildIsFixed) return fixedServer(consent);
  if (guilds.length === 0) {
    return serverPart(html`<h2>Server</h2>
<div class="hint"><p>You have no server to add it to. You need the “Manage server” permission in a server.</p>
<p>Ask someone who manages the server to open this link, or <a href="/portal/servers">create your own server</a> and reload this page.</p></div>
${fault('guildId', faults)}`);
  }
  const chosen = (guildId: bigint) => guildId === consent.choice.guildId && html` selected`;
  const required = request.targets.length === 1 && !isBeyondInstalling(request) && html` required`;
  return serverPart(html`<label class="label" for="guild">Server</label>
<select id="guild" name="guild_id"${required}${describedBy('guildId', faults)}${faults.guildId !== undefined && html` aria-invalid="true" autofocus`}>
<option value="">Choose a server</option>
${guilds.map((guild) => html`<option value="${guild.id}"${chosen(guild.id)}>${guild.name}${BOX_TEXTS[guild.box ?? 'none']}</option>\n`)}</select>
${fault('guildId', faults)}`);
}

function fixedServer({ request, guilds, faults }: Consent): Html {
  const fixed = guilds.find(({ id }) => id === request.guildId);
  return serverPart(html`<h2>Server</h2>
${
  fixed
    ? html`<p class="hint">${name(fixed.name)}${BOX_TEXTS[fixed.box ?? 'none']}</p>`
    : html`<p class="hint">You cannot add the application to the server in this link. You need the “Manage server” permission in that server.</p>`
}
${fault('guildId', faults)}`);
}

function serverPart(content: Html): Html {
  return html`<div class="field server-only">
${content}
</div>`;
}

function scopeChoice({ request, choice, faults }: Consent): Html {
  const offered = offeredScopes(request);
  return html`<fieldset${describedBy('scopes', faults)}>
<legend>Allow this application to</legend>
<ul class="choices">
${offered.map(
  (scope) => html`<li${onlyFor(request, scope)}><label><input type="checkbox" name="scopes" value="${scope}"${
    choice.scopes.includes(scope) && CHECKED
  }><span><strong>${SCOPE_TEXTS[scope].title}</strong><span class="soft small">${SCOPE_TEXTS[scope].detail}</span></span></label></li>
`,
)}</ul>
${fault('scopes', faults)}
</fieldset>`;
}

/** Without targets, offers the requested scopes. */
function offeredScopes({ targets, scopes }: AuthorizationRequest): Scope[] {
  const offered = targets.length === 0 ? scopes.SERVER : targets.flatMap((target) => scopes[target]);
  return [...new Set(offered)];
}

function onlyFor({ targets, scopes }: AuthorizationRequest, scope: Scope): Html | false {
  if (targets.length < 2 || (scopes.SERVER.includes(scope) && scopes.USER.includes(scope))) return false;
  return scopes.SERVER.includes(scope) ? html` class="server-only"` : html` class="user-only"`;
}

function asksForPermissions({ targets, scopes, permissions }: AuthorizationRequest): boolean {
  return targets.includes('SERVER') && scopes.SERVER.includes('bot') && permissions !== 0n;
}

function permissionChoice({ request, choice, faults }: Consent): Html {
  return html`<fieldset class="server-only"${describedBy('permissions', faults)}>
<legend>Bot permissions</legend>
<p class="soft small">The bot gets only the permissions that you have in that server.</p>
<ul class="choices compact">
${namedPermissions(request.permissions).map(({ bit, text }) => {
  const isGrave = bit === Permission.Administrator;
  return html`<li${isGrave && html` class="grave"`}><label><input type="checkbox" name="permissions" value="${bit}"${
    (choice.permissions & bit) !== 0n && CHECKED
  }><span>${isGrave ? html`<strong>${text}</strong><span class="small">Full access to the server and all its channels. Allow this only for bots that you trust fully.</span>` : text}</span></label></li>
`;
})}</ul>
${fault('permissions', faults)}
</fieldset>`;
}

function leadsTo({ redirectUri }: AuthorizationRequest): Html | false {
  return (
    redirectUri !== null &&
    html`<p class="soft small">Whether you authorize or cancel, you will be redirected to ${destination(redirectUri)}.</p>`
  );
}

/** False if the application only asks to be installed and no server is available. */
function canAuthorize({ request, guilds }: Consent): boolean {
  const { targets, guildIsFixed, guildId } = request;
  if (targets.length === 0 || targets.includes('USER') || isBeyondInstalling(request)) return true;
  return guilds.some(({ id }) => !guildIsFixed || id === guildId);
}

function isBeyondInstalling({ scopes }: AuthorizationRequest): boolean {
  return scopes.SERVER.some((scope) => !INSTALLING_SCOPES.includes(scope));
}

function fault(part: keyof Faults, faults: Faults): Html | false {
  const text = faults[part];
  return text !== undefined && html`<p class="fault" id="fault-${part}">${text}</p>`;
}

function describedBy(part: keyof Faults, faults: Faults): Html | false {
  return faults[part] !== undefined && html` aria-describedby="fault-${part}"`;
}
