/** Stands where a page will be. */
export function Loading() {
  return (
    <p className="loading" role="status">
      Loading …
    </p>
  );
}
