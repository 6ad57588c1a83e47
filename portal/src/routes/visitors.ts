import { createRoute } from '@tanstack/react-router';
import { page } from './page.js';
import { rootRoute } from './root.js';

/** Where a visitor goes once they are signed in: a page of the portal, or the home page. */
export interface NextPage {
  next?: string | undefined;
}

/** Only pages of the portal: a link must not lead elsewhere through the sign-in page. What is not named is kept as it stands in the address. */
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
