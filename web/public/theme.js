/* global document, localStorage */
// Runs before the first paint so that a chosen theme never flashes. Without a choice the system's preference
// holds, in CSS alone. A file of its own, since the content security policy allows no inline script.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the system's preference holds.
}
