// Runs before the page is painted, so that a chosen theme does not follow a flash of the other one.
document.documentElement.dataset.theme = 'system';
try {
  const chosen = localStorage.getItem('theme');
  if (['light', 'dark'].includes(chosen)) document.documentElement.dataset.theme = chosen;
} catch {
  // A browser that keeps nothing has no theme chosen.
}
