import { createRoute } from '@tanstack/react-router';
import { page } from './page.js';
import { rootRoute } from './root.js';

/** Page to open after sign-in. Default: the home page. */
export interface NextPage {
  next?: string | undefined;
}

/** Only portal pages, to prevent open redirects. Others must be undefined explicitly, or the router keeps them. */
function nextPage({ next }: Record<string, unknown>): NextPage {
  return { next: typeof next === 'string' && /^\/portal(\/|$|\?)/.test(next) ? next : undefined };
}

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  validateSearch: nextPage,
  component: page(() => import('../pages/visitors/sign-in.js'), 'SignIn'),
});

const signUp = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-up',
  validateSearch: nextPage,
  component: page(() => import('../pages/visitors/sign-up.js'), 'SignUp'),
});

export const visitorRoutes = [signIn, signUp];
