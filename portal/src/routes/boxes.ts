import { createRoute } from '@tanstack/react-router';
import { frameRoute } from './frame.js';
import { page } from './page.js';

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: 'boxes',
  component: page(() => import('../pages/boxes/list.js'), 'Boxes'),
});

const box = createRoute({
  getParentRoute: () => frameRoute,
  path: 'boxes/$boxId',
  component: page(() => import('../pages/boxes/box.js'), 'Box'),
});

export const boxRoutes = [list, box] as const;
