import { createRootRoute, Outlet } from '@tanstack/react-router';
import { Broken, NotFound } from '../ui/endings.js';

export const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: Broken,
});
