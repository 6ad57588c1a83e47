// Runs before the page is painted, so that a chosen theme does not follow a flash of the other one.
try {
  document.documentElement.dataset.theme = localStorage.getItem('theme') ?? 'system';
} catch {
  document.documentElement.dataset.theme = 'system';
}
