import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';

/**
 * A part of a page whose file is loaded when it is shown first. Where the file does not come, that is said in its place, and the page
 * around it stays; it is asked for again the next time.
 * @param Missing stands in its place then
 */
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
  /** What could not be loaded, as the beginning of a sentence. */
  what: string;
  /** Other ways on. */
  children: ReactNode;
}

/** In the place of a part of a page whose file did not come. */
export function MissingPart({ what, children }: MissingPartProps) {
  return (
    <div className="notice" role="alert">
      <p>{what} could not be loaded. Finish what you began on this page, then load it again.</p>
      <div className="actions">
        {children}
        <button type="button" className="plain small" onClick={() => window.location.reload()}>
          Load the page again
        </button>
      </div>
    </div>
  );
}
