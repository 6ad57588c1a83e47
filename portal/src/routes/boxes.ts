import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from './frame.js';

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: 'boxes',
  component: lazyRouteComponent(() => import('../pages/boxes/list.js'), 'Boxes'),
});

const box = createRoute({
  getParentRoute: () => frameRoute,
  path: 'boxes/$boxId',
  component: lazyRouteComponent(() => import('../pages/boxes/box.js'), 'Box'),
});

export const boxRoutes = [list, box] as const;
