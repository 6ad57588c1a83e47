import { createRootRoute, type ErrorComponentProps, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Broken } from '../ui/broken.js';
import { NotFound } from '../ui/endings.js';

export const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <Bare>
      <NotFound />
    </Bare>
  ),
  errorComponent: ({ error }: ErrorComponentProps) => (
    <Bare>
      <Broken error={error} />
    </Bare>
  ),
});

function Bare({ children }: { children: ReactNode }) {
  return (
    <>
      <header className="bar">
        <a className="brand" href="/portal">
          Causeway
        </a>
      </header>
      <main className="page" id="main">
        {children}
      </main>
    </>
  );
}
