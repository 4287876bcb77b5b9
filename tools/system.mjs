// System packages that the tests need. None is needed yet: no test opens a browser or a service.
console.log('test:system: no system package is needed yet, so nothing was installed and nothing was run');
