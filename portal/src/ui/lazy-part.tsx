import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';

/** Loads part of a page on first use. On failure, `Missing` is shown, and the next mount tries again. */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  Missing: ComponentType<Props>,
  fallback?: ReactNode,
) {
  const begin = () =>
    lazy<ComponentType<Props>>(() =>
      load().catch(() => {
        latest = begin();
        return { default: Missing };
      }),
    );
  let latest = begin();
  return function LazyPart(props: Props) {
    const [Part] = useState(() => latest);
    return (
      <Suspense fallback={fallback}>
        <Part {...props} />
      </Suspense>
    );
  };
}

interface MissingPartProps {
  /** Subject of a sentence. */
  what: string;
  children: ReactNode;
}

export function MissingPart({ what, children }: MissingPartProps) {
  return (
    <div className="notice" role="alert">
      <p>{what} could not be loaded. Finish your work on this page, then reload it.</p>
      <div className="actions">
        {children}
        <button type="button" className="plain small" onClick={() => window.location.reload()}>
          Reload page
        </button>
      </div>
    </div>
  );
}
