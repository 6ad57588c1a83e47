import { createRoute, redirect } from '@tanstack/react-router';
import { keepSetupToken } from '../setup-token.js';
import { frameRoute } from './frame.js';
import { listSearch } from './list-search.js';
import { logSearch } from './log-search.js';
import { page } from './page.js';

const setup = createRoute({
  getParentRoute: () => frameRoute,
  path: 'setup',
  beforeLoad: ({ location: { hash } }) => {
    if (hash === '') return;
    keepSetupToken(hash);
    throw redirect({ to: '/setup', hash: '', replace: true });
  },
  component: page(() => import('../pages/instance/setup.js'), 'Setup'),
});

const instance = createRoute({
  getParentRoute: () => frameRoute,
  path: 'instance',
  component: page(() => import('../pages/instance/layout.js'), 'InstanceLayout'),
});

const start = createRoute({
  getParentRoute: () => instance,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/instance/people', replace: true });
  },
});

const people = createRoute({
  getParentRoute: () => instance,
  path: 'people',
  validateSearch: listSearch,
  component: page(() => import('../pages/instance/people.js'), 'People'),
});

const person = createRoute({
  getParentRoute: () => instance,
  path: 'people/$personId',
  component: page(() => import('../pages/instance/person.js'), 'Person'),
});

const applications = createRoute({
  getParentRoute: () => instance,
  path: 'applications',
  validateSearch: listSearch,
  component: page(() => import('../pages/instance/applications.js'), 'Applications'),
});

const application = createRoute({
  getParentRoute: () => instance,
  path: 'applications/$applicationId',
  component: page(() => import('../pages/instance/application.js'), 'Application'),
});

const servers = createRoute({
  getParentRoute: () => instance,
  path: 'servers',
  validateSearch: listSearch,
  component: page(() => import('../pages/instance/servers.js'), 'Servers'),
});

const server = createRoute({
  getParentRoute: () => instance,
  path: 'servers/$guildId',
  component: page(() => import('../pages/instance/server.js'), 'Server'),
});

const boxes = createRoute({
  getParentRoute: () => instance,
  path: 'boxes',
  validateSearch: listSearch,
  component: page(() => import('../pages/instance/boxes.js'), 'Boxes'),
});

const invitations = createRoute({
  getParentRoute: () => instance,
  path: 'invitations',
  component: page(() => import('../pages/instance/invitations.js'), 'Invitations'),
});

const limits = createRoute({
  getParentRoute: () => instance,
  path: 'limits',
  component: page(() => import('../pages/instance/limits.js'), 'Limits'),
});

const operators = createRoute({
  getParentRoute: () => instance,
  path: 'operators',
  component: page(() => import('../pages/instance/operators.js'), 'Operators'),
});

const audit = createRoute({
  getParentRoute: () => instance,
  path: 'audit',
  validateSearch: logSearch,
  component: page(() => import('../pages/audit/instance-log.js'), 'InstanceLog'),
});

export const instanceRoutes = [
  setup,
  instance.addChildren([
    start,
    people,
    person,
    applications,
    application,
    servers,
    server,
    boxes,
    invitations,
    limits,
    operators,
    audit,
  ]),
] as const;
