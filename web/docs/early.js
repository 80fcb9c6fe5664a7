// Applies the chosen language of samples before the page is painted. Without it all languages are shown.
document.documentElement.dataset.language = 'sh';
try {
  const language = localStorage.getItem('language');
  if (language === 'ts' || language === 'python') document.documentElement.dataset.language = language;
} catch {
  // Storage is not available: the first language is shown.
}
