console.log('there is no harness yet');
