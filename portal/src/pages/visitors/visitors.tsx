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
          For programs: <a href="/graphql">GraphQL</a>, and <a href="/openapi.json">REST as OpenAPI</a>.
        </p>
      </main>
    </>
  );
}
