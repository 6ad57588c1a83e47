import { createRoute, redirect } from '@tanstack/react-router';
import { frameRoute } from './frame.js';
import { logSearch } from './log-search.js';
import { page } from './page.js';

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: 'applications',
  component: page(() => import('../pages/applications/list.js'), 'Applications'),
});

const application = createRoute({
  getParentRoute: () => frameRoute,
  path: 'applications/$applicationId',
  component: page(() => import('../pages/applications/layout.js'), 'ApplicationLayout'),
});

const start = createRoute({
  getParentRoute: () => application,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/applications/$applicationId/general', params, replace: true });
  },
});

const general = createRoute({
  getParentRoute: () => application,
  path: 'general',
  component: page(() => import('../pages/applications/general.js'), 'General'),
});

const installation = createRoute({
  getParentRoute: () => application,
  path: 'installation',
  component: page(() => import('../pages/applications/installation.js'), 'Installation'),
});

const oauth2 = createRoute({
  getParentRoute: () => application,
  path: 'oauth2',
  component: page(() => import('../pages/applications/oauth2.js'), 'OAuth2'),
});

const bot = createRoute({
  getParentRoute: () => application,
  path: 'bot',
  component: page(() => import('../pages/applications/bot.js'), 'Bot'),
});

/** Without a server, the commands are the global ones. */
export interface CommandsSearch {
  server?: string | undefined;
}

function commandsSearch({ server }: Record<string, unknown>): CommandsSearch {
  // A number has already lost digits of the id.
  return { server: typeof server === 'string' && /^\d{1,20}$/.test(server) ? server : undefined };
}

const commands = createRoute({
  getParentRoute: () => application,
  path: 'commands',
  validateSearch: commandsSearch,
  component: page(() => import('../pages/applications/commands/commands.js'), 'Commands'),
});

const newCommand = createRoute({
  getParentRoute: () => application,
  path: 'commands/new',
  validateSearch: commandsSearch,
  component: page(() => import('../pages/applications/commands/new-command.js'), 'NewCommand'),
});

const overwrite = createRoute({
  getParentRoute: () => application,
  path: 'commands/overwrite',
  validateSearch: commandsSearch,
  component: page(() => import('../pages/applications/commands/overwrite.js'), 'Overwrite'),
});

const command = createRoute({
  getParentRoute: () => application,
  path: 'commands/$commandId',
  validateSearch: commandsSearch,
  component: page(() => import('../pages/applications/commands/command.js'), 'Command'),
});

const interactions = createRoute({
  getParentRoute: () => application,
  path: 'interactions',
  component: page(() => import('../pages/applications/interactions/interactions.js'), 'Interactions'),
});

const interaction = createRoute({
  getParentRoute: () => application,
  path: 'interactions/$interactionId',
  component: page(() => import('../pages/applications/interactions/interaction.js'), 'InteractionTimeline'),
});

const webhooks = createRoute({
  getParentRoute: () => application,
  path: 'webhooks',
  component: page(() => import('../pages/applications/webhooks/webhooks.js'), 'Webhooks'),
});

const emojis = createRoute({
  getParentRoute: () => application,
  path: 'emojis',
  component: page(() => import('../pages/emojis/application-emojis.js'), 'ApplicationEmojis'),
});

const testers = createRoute({
  getParentRoute: () => application,
  path: 'testers',
  component: page(() => import('../pages/testers/testers.js'), 'Testers'),
});

const asCode = createRoute({
  getParentRoute: () => application,
  path: 'as-code',
  component: page(() => import('../pages/applications/as-code/as-code.js'), 'AsCode'),
});

const audit = createRoute({
  getParentRoute: () => application,
  path: 'audit',
  validateSearch: logSearch,
  component: page(() => import('../pages/audit/application-log.js'), 'ApplicationLog'),
});

export const applicationRoutes = [
  list,
  application.addChildren([
    start,
    general,
    installation,
    oauth2,
    bot,
    commands,
    newCommand,
    overwrite,
    command,
    interactions,
    interaction,
    webhooks,
    emojis,
    testers,
    asCode,
    audit,
  ]),
] as const;
