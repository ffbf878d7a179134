/* Puts Swagger UI in the place of the plain list, in the colours the reader has chosen. Runs in the browser. */
(() => {
  const place = document.querySelector('#reference');
  const { SwaggerUIBundle } = globalThis;
  if (place === null || SwaggerUIBundle === undefined) return;

  const dark = globalThis.matchMedia('(prefers-color-scheme: dark)');
  const wearColours = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', wearColours);
  wearColours();

  SwaggerUIBundle({
    url: place.dataset.description,
    domNode: place,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    filter: true,
    tryItOutEnabled: true,
    // A key must not outlive the page.
    persistAuthorization: false,
    validatorUrl: null,
  });
})();
