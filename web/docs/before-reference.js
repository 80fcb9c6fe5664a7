// Before the reference's own scripts, because the page's policy is stricter than they expect.

// Their copy of zod would try whether `eval` works.
globalThis.__zod_globalConfig = { jitless: true };

// Texts that become markup without Vue are signs of one line, drawn beside what can be folded; whatever else comes stays text.
const drawing = /^<svg( [\w:]+="[\w .:/#-]*")*><path( [\w-]+="[\w .-]*")*\/><\/svg>$/;
const handler = / on\w+=/i;
globalThis.trustedTypes?.createPolicy('default', {
  createHTML: (text) =>
    drawing.test(text) && !handler.test(text) ? text : text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
});
