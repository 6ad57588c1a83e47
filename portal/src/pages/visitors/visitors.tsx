import type { ReactNode } from 'react';

export function Visitors({ children }: { children: ReactNode }) {
  return (
    <>
      <header className="bar">
        <span className="brand">Causeway</span>
      </header>
      <main className="page visitors" id="main">
        <div className="card">{children}</div>
        <p className="soft small">
          <a href="/graphql">GraphQL API</a> · <a href="/openapi.json">OpenAPI spec</a>
        </p>
      </main>
    </>
  );
}
