// Runs before the reference's own scripts, because the content security policy is stricter than they expect.

// Their copy of zod would test whether `eval` works.
globalThis.__zod_globalConfig = { jitless: true };

// Without Vue, the scripts turn only small icons into markup. Any other text stays text.
const drawing = /^<svg( [\w:]+="[\w .:/#-]*")*><path( [\w-]+="[\w .-]*")*\/><\/svg>$/;
const handler = / on\w+=/i;
globalThis.trustedTypes?.createPolicy('default', {
  createHTML: (text) =>
    drawing.test(text) && !handler.test(text) ? text : text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
});
