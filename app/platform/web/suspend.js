// Lets functions of WebAssembly suspend themselves while the page goes on (JavaScript Promise Integration,
// https://github.com/WebAssembly/js-promise-integration). The linker takes this file into headlight.js.

addToLibrary({
  $suspension: {
    call: null,       // starts a function that may suspend itself
    continuing: {},   // by key: continues the function
    bottom: 0,        // the stack pointer while no function runs
    leave() {
      if (suspension.bottom) stackRestore(suspension.bottom);
    },
  },
  $suspension__deps: ['$stackRestore'],

  headlight_can_suspend: () => 'Suspending' in WebAssembly && 'promising' in WebAssembly,

  headlight_start__deps: ['$suspension', '$stackSave', '$stackRestore'],
  headlight_start: (run, key, stackEnd) => {
    const own = stackSave();
    suspension.call ||= WebAssembly.promising(wasmExports['headlight_call']);
    stackRestore(stackEnd);
    suspension.call(run, key).then(suspension.leave);
    stackRestore(own);
  },

  headlight_suspend__deps: ['$suspension', '$stackSave', '$stackRestore'],
  headlight_suspend__postset: 'if (_headlight_can_suspend()) _headlight_suspend = new WebAssembly.Suspending(_headlight_suspend);',
  headlight_suspend: (key) => {
    const own = stackSave();
    suspension.leave();
    return new Promise((resolve) => {
      suspension.continuing[key] = resolve;
    }).then(() => {
      suspension.bottom ||= stackSave();
      stackRestore(own);
    });
  },

  headlight_resume__deps: ['$suspension'],
  headlight_resume: (key) => suspension.continuing[key](),
});
