import { createRoute, redirect } from '@tanstack/react-router';
import { frameRoute } from './frame.js';
import { logSearch } from './log-search.js';
import { page } from './page.js';

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: 'teams',
  component: page(() => import('../pages/teams/list.js'), 'Teams'),
});

const team = createRoute({
  getParentRoute: () => frameRoute,
  path: 'teams/$teamId',
  component: page(() => import('../pages/teams/layout.js'), 'TeamLayout'),
});

const start = createRoute({
  getParentRoute: () => team,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/teams/$teamId/general', params, replace: true });
  },
});

const general = createRoute({
  getParentRoute: () => team,
  path: 'general',
  component: page(() => import('../pages/teams/general.js'), 'TeamGeneral'),
});

const members = createRoute({
  getParentRoute: () => team,
  path: 'members',
  component: page(() => import('../pages/teams/members.js'), 'TeamMembers'),
});

const applications = createRoute({
  getParentRoute: () => team,
  path: 'applications',
  component: page(() => import('../pages/teams/applications.js'), 'TeamApplications'),
});

const audit = createRoute({
  getParentRoute: () => team,
  path: 'audit',
  validateSearch: logSearch,
  component: page(() => import('../pages/audit/team-log.js'), 'TeamLog'),
});

export const teamRoutes = [list, team.addChildren([start, general, members, applications, audit])] as const;
