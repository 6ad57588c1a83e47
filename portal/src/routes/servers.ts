import { createRoute, redirect } from '@tanstack/react-router';
import { frameRoute } from './frame.js';
import { logSearch } from './log-search.js';
import { page } from './page.js';
import { whySearch } from './why-search.js';

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: 'servers',
  component: page(() => import('../pages/servers/list.js'), 'Servers'),
});

const server = createRoute({
  getParentRoute: () => frameRoute,
  path: 'servers/$guildId',
  component: page(() => import('../pages/servers/layout.js'), 'ServerLayout'),
});

const start = createRoute({
  getParentRoute: () => server,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/servers/$guildId/general', params, replace: true });
  },
});

const general = createRoute({
  getParentRoute: () => server,
  path: 'general',
  component: page(() => import('../pages/servers/general.js'), 'General'),
});

const channels = createRoute({
  getParentRoute: () => server,
  path: 'channels',
  component: page(() => import('../pages/servers/channels/channels.js'), 'Channels'),
});

const noChannel = createRoute({
  getParentRoute: () => channels,
  path: '/',
  component: page(() => import('../pages/servers/channels/channels.js'), 'NoChannel'),
});

const channel = createRoute({
  getParentRoute: () => channels,
  path: '$channelId',
  component: page(() => import('../pages/servers/channel/channel.js'), 'Channel'),
});

const channelSettings = createRoute({
  getParentRoute: () => channels,
  path: '$channelId/settings',
  component: page(() => import('../pages/servers/channels/channel-settings.js'), 'ChannelSettings'),
});

const integrations = createRoute({
  getParentRoute: () => server,
  path: 'integrations',
  component: page(() => import('../pages/servers/integrations/integrations.js'), 'Integrations'),
});

const integration = createRoute({
  getParentRoute: () => server,
  path: 'integrations/$applicationId',
  validateSearch: whySearch,
  component: page(() => import('../pages/servers/integrations/integration.js'), 'Integration'),
});

const allCommands = createRoute({
  getParentRoute: () => integration,
  path: '/',
});

const oneCommand = createRoute({
  getParentRoute: () => integration,
  path: '$commandId',
});

const roles = createRoute({
  getParentRoute: () => server,
  path: 'roles',
  component: page(() => import('../pages/servers/roles/roles.js'), 'Roles'),
});

const everyoneRole = createRoute({
  getParentRoute: () => roles,
  path: '/',
  component: page(() => import('../pages/servers/roles/roles.js'), 'EveryoneRole'),
});

const newRole = createRoute({
  getParentRoute: () => roles,
  path: 'new',
  component: page(() => import('../pages/servers/roles/roles.js'), 'NewRole'),
});

const role = createRoute({
  getParentRoute: () => roles,
  path: '$roleId',
  component: page(() => import('../pages/servers/roles/roles.js'), 'OpenRole'),
});

const emojis = createRoute({
  getParentRoute: () => server,
  path: 'emojis',
  component: page(() => import('../pages/emojis/server-emojis.js'), 'ServerEmojis'),
});

const bans = createRoute({
  getParentRoute: () => server,
  path: 'bans',
  component: page(() => import('../pages/servers/members/bans.js'), 'Bans'),
});

const members = createRoute({
  getParentRoute: () => server,
  path: 'members',
  component: page(() => import('../pages/servers/members/members.js'), 'Members'),
});

const audit = createRoute({
  getParentRoute: () => server,
  path: 'audit',
  validateSearch: logSearch,
  component: page(() => import('../pages/audit/server-log.js'), 'ServerLog'),
});

const parity = createRoute({
  getParentRoute: () => server,
  path: 'parity',
  component: page(() => import('../pages/servers/roles/parity.js'), 'Parity'),
});

export const serverRoutes = [
  list,
  server.addChildren([
    start,
    general,
    channels.addChildren([noChannel, channel, channelSettings]),
    roles.addChildren([everyoneRole, newRole, role]),
    emojis,
    members,
    bans,
    integrations,
    integration.addChildren([allCommands, oneCommand]),
    audit,
    parity,
  ]),
] as const;
